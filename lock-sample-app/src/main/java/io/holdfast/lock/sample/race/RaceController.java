package io.holdfast.lock.sample.race;

import java.util.List;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

@RestController
@RequestMapping("/races")
class RaceController {

    private final RaceDirector director;
    private final RaceReport report;
    private final Instances instances;

    RaceController(RaceDirector director, RaceReport report, Instances instances) {
        this.director = director;
        this.report = report;
        this.instances = instances;
    }

    @PostMapping
    RaceResult race(
            @RequestParam(defaultValue = "1000") int items,
            @RequestParam(defaultValue = "true") boolean locked,
            @RequestParam(defaultValue = "" + RaceSettings.DEFAULT_WORKERS) int workers,
            @RequestParam(defaultValue = "false") boolean pause)
            throws InterruptedException {
        return director.run(new RaceSettings(items, locked, workers, pause));
    }

    @GetMapping
    List<RaceResult> races() {
        return report.latest();
    }

    @GetMapping("/instances")
    List<String> instances() {
        return instances.alive();
    }

    @GetMapping("/{id}/sales")
    List<Sale> sales(@PathVariable long id, @RequestParam(defaultValue = "0") long after) {
        return report.sales(id, after);
    }

    @GetMapping("/{id}")
    RaceResult race(@PathVariable long id) {
        return report.of(id);
    }
}
