package io.holdfast.lock.spring.actuate;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
import org.springframework.util.function.SingletonSupplier;

/**
 * The endpoint as a page for browsers: one HTML document that contains its style and scripts, and loads nothing but the
 * endpoint's JSON. It contains no data. Its content security policy permits its own style and script by their hashes, so a
 * browser runs nothing else, even if a key looks like markup.
 */
final class LocksPage {

    private static final String FOLDER = "page/";
    private static final List<String> SCRIPTS = List.of(
            "format.js",
            "history.js",
            "statistics.js",
            "timeline.js",
            "grid.js",
            "deadlocks.js",
            "panels.js",
            "details.js",
            "announcer.js",
            "main.js");

    private final BooleanSupplier writable;
    private final SingletonSupplier<String> html = SingletonSupplier.of(this::assemble);

    /**
     * Creates an instance.
     *
     * @param writable whether the endpoint permits forced releases; called once, on the first request
     */
    LocksPage(BooleanSupplier writable) {
        this.writable = writable;
    }

    String html() {
        return html.obtain();
    }

    private String assemble() {
        String style = read("locks.css");
        String script = SCRIPTS.stream().map(LocksPage::read).collect(Collectors.joining("\n", "'use strict';\n", ""));
        return read("locks.html")
                .replace("${style-hash}", hash(style))
                .replace("${script-hash}", hash(script))
                .replace("${writable}", String.valueOf(writable.getAsBoolean()))
                .replace("${style}", style)
                .replace("${script}", script);
    }

    /** The hash that identifies the content between two tags in a content security policy. */
    private static String hash(String content) {
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(content.getBytes(StandardCharsets.UTF_8));
            return "'sha256-" + Base64.getEncoder().encodeToString(digest) + "'";
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("SHA-256 is not available on this Java platform", e);
        }
    }

    /** A browser normalizes line endings before it hashes. */
    private static String read(String name) {
        try (InputStream content = LocksPage.class.getResourceAsStream(FOLDER + name)) {
            if (content == null) {
                throw new IllegalStateException(
                        "The resource " + FOLDER + name + " is missing next to " + LocksPage.class.getName()
                                + ". In a native image, or a jar that was shrunk, keep the resources of its package");
            }
            return new String(content.readAllBytes(), StandardCharsets.UTF_8).replace("\r\n", "\n");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
