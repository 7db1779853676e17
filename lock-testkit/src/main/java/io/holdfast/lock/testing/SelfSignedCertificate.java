package io.holdfast.lock.testing;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.Base64;
import java.util.List;
import javax.net.ssl.TrustManagerFactory;

/** A self-signed certificate for this machine, created with the JDK's keytool, in the form that Redis reads. */
final class SelfSignedCertificate {

    private static final String ALIAS = "redis";
    private static final char[] PASSWORD = "password".toCharArray();

    private final Path directory;
    private final KeyStore keys;

    private SelfSignedCertificate(Path directory, KeyStore keys) {
        this.directory = directory;
        this.keys = keys;
    }

    static SelfSignedCertificate create() {
        Path directory = TemporaryDirectory.create("holdfast-tls");
        Path store = directory.resolve("keys.p12");
        try {
            generate(store);
            KeyStore keys = KeyStore.getInstance("PKCS12");
            try (InputStream in = Files.newInputStream(store)) {
                keys.load(in, PASSWORD);
            }
            SelfSignedCertificate made = new SelfSignedCertificate(directory, keys);
            made.writePem();
            return made;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("The certificate cannot be used", e);
        }
    }

    private static void generate(Path store) throws IOException {
        String keytool =
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString();
        Process process = new ProcessBuilder(List.of(
                        keytool,
                        "-genkeypair",
                        "-alias",
                        ALIAS,
                        "-dname",
                        "CN=redis",
                        "-ext",
                        "SAN=IP:127.0.0.1",
                        "-keyalg",
                        "EC",
                        "-groupname",
                        "secp256r1",
                        "-validity",
                        "3650",
                        "-storetype",
                        "PKCS12",
                        "-keystore",
                        store.toString(),
                        "-storepass",
                        new String(PASSWORD),
                        "-J-XX:TieredStopAtLevel=1"))
                .redirectErrorStream(true)
                .start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        try {
            if (process.waitFor() != 0) {
                throw new IllegalStateException("keytool did not create a certificate: " + output);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("Interrupted while creating a certificate", e);
        }
    }

    private void writePem() throws IOException, GeneralSecurityException {
        Files.writeString(
                Path.of(certificateFile()),
                pem("CERTIFICATE", keys.getCertificate(ALIAS).getEncoded()));
        Files.writeString(
                Path.of(keyFile()),
                pem("PRIVATE KEY", keys.getKey(ALIAS, PASSWORD).getEncoded()));
    }

    private static String pem(String what, byte[] content) {
        String base64 = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(content);
        return "-----BEGIN " + what + "-----\n" + base64 + "\n-----END " + what + "-----\n";
    }

    String certificateFile() {
        return directory.resolve("certificate.pem").toString();
    }

    String keyFile() {
        return directory.resolve("key.pem").toString();
    }

    /** Trusts this certificate, and no other. */
    TrustManagerFactory trust() {
        try {
            KeyStore trusted = KeyStore.getInstance(KeyStore.getDefaultType());
            trusted.load(null, null);
            trusted.setCertificateEntry(ALIAS, keys.getCertificate(ALIAS));
            TrustManagerFactory factory = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            factory.init(trusted);
            return factory;
        } catch (GeneralSecurityException | IOException e) {
            throw new IllegalStateException("The certificate cannot be trusted", e);
        }
    }
}
