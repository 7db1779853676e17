package io.holdfast.lock.spring.autoconfigure.actuate;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.springframework.core.io.ClassPathResource;

/**
 * The endpoint as a page for browsers: one HTML document that contains its style and scripts, and loads nothing but the
 * endpoint's JSON. It contains no data. Its content security policy permits its own style and script by their hashes, so a
 * browser runs nothing else, even if a key looks like markup.
 */
final class LocksPage {

    private static final String FOLDER = "page/";
    private static final String SCRIPTS =
            "format history statistics timeline grid deadlocks panels details announcer jobs main";

    private LocksPage() {}

    /** @param writable whether the endpoint permits forced releases and pauses */
    static String html(boolean writable) {
        String style = read("locks.css");
        String script = Stream.of(SCRIPTS.split(" "))
                .map(name -> read(name + ".js"))
                .collect(Collectors.joining("\n", "'use strict';\n", ""));
        return read("locks.html")
                .replace("${style-hash}", hash(style))
                .replace("${script-hash}", hash(script))
                .replace("${writable}", String.valueOf(writable))
                .replace("${style}", style)
                .replace("${script}", script);
    }

    /** The hash that identifies the content between two tags in a content security policy. */
    private static String hash(String content) {
        return "'sha256-" + Base64.getEncoder().encodeToString(sha256(content)) + "'";
    }

    static byte[] sha256(String text) {
        try {
            return MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("SHA-256 is not available on this Java platform", e);
        }
    }

    /** A browser normalizes line endings before it hashes. */
    private static String read(String name) {
        try {
            return new ClassPathResource(FOLDER + name, LocksPage.class)
                    .getContentAsString(StandardCharsets.UTF_8)
                    .replace("\r\n", "\n");
        } catch (IOException e) {
            throw new IllegalStateException(
                    "The resource " + FOLDER + name + " is missing next to " + LocksPage.class.getName()
                            + ". In a native image, or a jar that was shrunk, keep the resources of its package",
                    e);
        }
    }
}
