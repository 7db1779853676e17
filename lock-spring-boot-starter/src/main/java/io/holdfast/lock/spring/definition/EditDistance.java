package io.holdfast.lock.spring.definition;

/** How similar two names are, to recognize one that is misspelt. */
public final class EditDistance {

    private EditDistance() {}

    /**
     * {@return how many characters have to be inserted, removed or replaced (Levenshtein)}
     *
     * @param from a name
     * @param to the other
     */
    public static int between(String from, String to) {
        int[] row = new int[to.length() + 1];
        for (int j = 0; j <= to.length(); j++) {
            row[j] = j;
        }
        for (int i = 1; i <= from.length(); i++) {
            int diagonal = row[0];
            row[0] = i;
            for (int j = 1; j <= to.length(); j++) {
                int replaced = diagonal + (from.charAt(i - 1) == to.charAt(j - 1) ? 0 : 1);
                diagonal = row[j];
                row[j] = Math.min(replaced, Math.min(row[j], row[j - 1]) + 1);
            }
        }
        return row[to.length()];
    }
}
