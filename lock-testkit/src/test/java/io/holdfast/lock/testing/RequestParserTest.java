package io.holdfast.lock.testing;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class RequestParserTest {

    private static final String SET = "*3\r\n$3\r\nset\r\n$1\r\nk\r\n$1\r\nv\r\n";
    private static final String EVALSHA = "*4\r\n$7\r\nEVALSHA\r\n$2\r\nab\r\n$1\r\n1\r\n$1\r\nk\r\n";

    private final List<String> found = new ArrayList<>();
    private final RequestParser parser = new RequestParser(found::add);

    private void feed(String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        parser.feed(bytes, bytes.length);
    }

    @Test
    void commands_are_found_by_name() {
        feed(SET);
        feed(EVALSHA);

        assertThat(found).containsExactly("SET", "EVALSHA");
    }

    @Test
    void pipelined_commands_are_counted_one_by_one() {
        feed(SET + SET + EVALSHA);

        assertThat(found).containsExactly("SET", "SET", "EVALSHA");
    }

    @Test
    void commands_may_be_cut_anywhere() {
        for (int i = 0; i < EVALSHA.length(); i++) {
            feed(EVALSHA.substring(i, i + 1));
        }

        assertThat(found).containsExactly("EVALSHA");
    }

    @Test
    void arguments_that_look_like_commands_are_not_counted() {
        feed("*2\r\n$3\r\nGET\r\n$14\r\n*1\r\n$4\r\nPING\r\n\r\n");

        assertThat(found).containsExactly("GET");
    }

    @Test
    void an_empty_argument_ends_where_it_begins() {
        feed("*2\r\n$3\r\nGET\r\n$0\r\n\r\n" + SET);

        assertThat(found).containsExactly("GET", "SET");
    }

    @Test
    void inline_commands_count() {
        feed("PING\r\nget k\r\n");

        assertThat(found).containsExactly("PING", "GET");
    }
}
