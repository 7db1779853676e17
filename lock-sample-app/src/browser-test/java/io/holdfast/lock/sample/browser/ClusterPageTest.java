package io.holdfast.lock.sample.browser;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.lock.testing.RedisClusterProcesses;
import org.junit.jupiter.api.BeforeAll;

/** A deadlock of two locks on different nodes of a cluster. */
class ClusterPageTest extends DeadlockScene {

    @BeforeAll
    static void start() {
        RedisClusterProcesses cluster = startInstancesOnCluster();
        assertThat(cluster.masterOf("holdfast:{" + FIRST + "}")).isNotEqualTo(cluster.masterOf("holdfast:{" + SECOND + "}"));
    }

    @Override
    String picture() {
        return "-cluster";
    }
}
