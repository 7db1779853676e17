package io.holdfast.lock.spring.coroutine;

import java.lang.reflect.Method;
import java.util.regex.Pattern;
import org.springframework.core.KotlinDetector;

/**
 * The names of functions as they are written in Kotlin. Its compiler appends a hash if a parameter or the result is of a value
 * class ({@code pay-aIPf8lw}), and the name of the module if the function is internal ({@code pay$shop}).
 *
 * <p>A name in backticks that ends like that, such as {@code `pay-express`}, is truncated too.
 */
public final class KotlinNames {

    private static final Pattern COMPILED = Pattern.compile("(.+?)(-[\\w-]{7})?(\\$\\w+)?$");

    private KotlinNames() {}

    /**
     * {@return the name of a method as written in its source}
     *
     * @param method a method in Kotlin, or in any other language
     */
    public static String of(Method method) {
        String name = method.getName();
        if ((name.indexOf('-') < 0 && name.indexOf('$') < 0)
                || !KotlinDetector.isKotlinType(method.getDeclaringClass())) {
            return name;
        }
        return COMPILED.matcher(name).replaceFirst("$1");
    }
}
