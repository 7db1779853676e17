package io.holdfast.lock.benchmarks.report;

import io.holdfast.lock.benchmarks.peer.Peer;
import java.util.List;

/**
 * One kind of work, as the tables show it.
 *
 * @param name a short name, for the command line and for files
 * @param title a readable title
 * @param peers the peers that do it, in the order of the columns
 * @param bars what is expected
 */
public record Row(String name, String title, List<Peer> peers, List<Bar> bars) {}
