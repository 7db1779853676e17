package io.holdfast.lock.spring.aop;

import io.holdfast.lock.api.LockRequest;
import io.holdfast.lock.spring.LockRequestCustomizer;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;

/** Keeps the requests that annotated methods make. */
class RequestRecorder implements LockRequestCustomizer {

    private final List<LockRequest> seen = new ArrayList<>();

    @Override
    public LockRequest customize(LockRequest request, Method method) {
        seen.add(request);
        return request;
    }

    List<LockRequest> seen() {
        return seen;
    }
}
