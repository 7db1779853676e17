package io.holdfast.lock.benchmarks.report;

import io.holdfast.lock.benchmarks.statistics.Spread;
import java.util.List;
import java.util.Locale;

/** Horizontal bars with whiskers from minimum to maximum, as SVG that is easy to read on light and dark pages. */
record BarChart(String title, String note, List<Bar> bars) {

    private static final int WIDTH = 720;
    private static final int TOP = 60;
    private static final int LINE = 34;
    private static final int THICKNESS = 20;
    private static final int LABELS = 150;
    private static final int VALUES = 90;

    private static final String STYLE = """
            <style>
              text { font: 13px system-ui, -apple-system, "Segoe UI", sans-serif; fill: #24292f; }
              .title { font-size: 16px; font-weight: 600; }
              .note { fill: #57606a; }
              .bar { fill: #8c959f; }
              .ours { fill: #0969da; }
              .whisker { stroke: #24292f; stroke-width: 1.5; }
              .page { fill: #ffffff; }
              @media (prefers-color-scheme: dark) {
                text { fill: #e6edf3; }
                .note { fill: #9198a1; }
                .bar { fill: #656c76; }
                .ours { fill: #4493f8; }
                .whisker { stroke: #e6edf3; }
                .page { fill: #0d1117; }
              }
            </style>
            """;

    /** One bar. */
    record Bar(String label, String value, Spread spread, boolean ours) {}

    String svg() {
        int height = TOP + LINE * bars.size() + 10;
        StringBuilder svg = new StringBuilder(String.format(
                Locale.ROOT,
                "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" role=\"img\""
                        + " aria-label=\"%s\">\n",
                WIDTH,
                height,
                WIDTH,
                escape(title)));
        svg.append(STYLE);
        svg.append(String.format("<rect class=\"page\" width=\"%d\" height=\"%d\" rx=\"6\"/>\n", WIDTH, height));
        text(svg, 16, 26, "title", title);
        text(svg, 16, 46, "note", note);
        double most = bars.stream().mapToDouble(bar -> bar.spread().max()).max().orElse(1);
        for (int i = 0; i < bars.size(); i++) {
            draw(svg, bars.get(i), TOP + LINE * i, most);
        }
        return svg.append("</svg>\n").toString();
    }

    private static void draw(StringBuilder svg, Bar bar, int y, double most) {
        double scale = (WIDTH - LABELS - VALUES) / Math.max(most, Double.MIN_NORMAL);
        Spread spread = bar.spread();
        int middle = y + THICKNESS / 2;
        text(svg, 16, middle + 5, "label", bar.label());
        svg.append(String.format(
                Locale.ROOT,
                "<rect class=\"bar%s\" x=\"%d\" y=\"%d\" width=\"%.1f\" height=\"%d\" rx=\"3\"/>\n",
                bar.ours() ? " ours" : "",
                LABELS,
                y,
                Math.max(1, spread.median() * scale),
                THICKNESS));
        if (spread.rounds() > 1) {
            svg.append(String.format(
                    Locale.ROOT,
                    "<line class=\"whisker\" x1=\"%.1f\" y1=\"%d\" x2=\"%.1f\" y2=\"%d\"/>\n",
                    LABELS + spread.min() * scale,
                    middle,
                    LABELS + spread.max() * scale,
                    middle));
        }
        text(svg, (int) (LABELS + spread.max() * scale) + 8, middle + 5, "value", bar.value());
    }

    private static void text(StringBuilder svg, int x, int y, String kind, String text) {
        svg.append(String.format("<text class=\"%s\" x=\"%d\" y=\"%d\">%s</text>\n", kind, x, y, escape(text)));
    }

    private static String escape(String text) {
        return text.replace("&", "&amp;").replace("<", "&lt;").replace("\"", "&quot;");
    }
}
