package io.holdfast.lock.kotlin.page

import java.nio.file.Path
import kotlin.io.path.readLines
import org.assertj.core.api.Assertions.assertThat
import org.junit.jupiter.api.Test

/** What the page about Kotlin shows is compiled here. */
class KotlinPageTest {

    private fun linesOf(file: String) = Path.of(file).readLines().map { it.trim() }.filter { it.isNotEmpty() }

    private fun shown(language: String): List<String> {
        var inside = false
        return linesOf("../docs/reference/kotlin.md").filter { line ->
            val fence = line.startsWith("```")
            if (fence) inside = line == "```$language"
            inside && !fence
        }
    }

    @Test
    fun code_is_compiled() {
        val folder = "src/test/kotlin/io/holdfast/lock/kotlin/page"
        val compiled = listOf("CallsTest", "Payments", "PaymentsTest", "ReentryTest").flatMap { linesOf("$folder/$it.kt") }
        val shown = shown("kotlin")
        assertThat(shown).hasSizeGreaterThan(15)
        assertThat(compiled).containsAll(shown)
    }
}
