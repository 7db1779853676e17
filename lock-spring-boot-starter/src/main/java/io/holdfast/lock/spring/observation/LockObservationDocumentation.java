package io.holdfast.lock.spring.observation;

import io.micrometer.common.docs.KeyName;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationConvention;
import io.micrometer.observation.docs.ObservationDocumentation;

/** The observations of locks. */
public enum LockObservationDocumentation implements ObservationDocumentation {

    /** One acquisition of a lock: from the request until the caller has the lock, or the acquisition ends without it. */
    ACQUIRE {
        @Override
        public Class<? extends ObservationConvention<? extends Observation.Context>> getDefaultConvention() {
            return DefaultLockObservationConvention.class;
        }

        @Override
        public KeyName[] getLowCardinalityKeyNames() {
            return LowCardinalityKeyNames.values();
        }

        @Override
        public KeyName[] getHighCardinalityKeyNames() {
            return HighCardinalityKeyNames.values();
        }
    };

    /** Key values with few different values, which meters have as tags. */
    public enum LowCardinalityKeyNames implements KeyName {

        /** The name of the request; "none" if it has none. */
        NAME {
            @Override
            public String asString() {
                return "name";
            }
        },

        /** {@link LockObservationContext.Outcome} in lower case; "none" while the acquisition is in progress. */
        OUTCOME {
            @Override
            public String asString() {
                return "outcome";
            }
        }
    }

    /** Key values with many different values, which only spans have, and only those of callers that had to wait or were refused. */
    public enum HighCardinalityKeyNames implements KeyName {

        /** The host, process and thread of the last known holder. */
        HOLDER {
            @Override
            public String asString() {
                return "holdfast.holder";
            }
        },

        /** The ID of its trace, see {@link io.holdfast.lock.api.LockHolder#traceId}. */
        HOLDER_TRACE_ID {
            @Override
            public String asString() {
                return "holdfast.holder.trace_id";
            }
        },

        /** The caller's place when it began to wait, see {@link LockObservationContext#getPlaceInLine}. */
        PLACE_IN_LINE {
            @Override
            public String asString() {
                return "holdfast.place_in_line";
            }
        },

        /** How long the caller waited, in milliseconds. */
        WAITED {
            @Override
            public String asString() {
                return "holdfast.waited_ms";
            }
        }
    }
}
