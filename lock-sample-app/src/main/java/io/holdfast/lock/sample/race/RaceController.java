package io.holdfast.lock.sample.race;

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

    RaceController(RaceDirector director, RaceReport report) {
        this.director = director;
        this.report = report;
    }

    @PostMapping
    RaceResult race(
            @RequestParam(defaultValue = "1000") int items,
            @RequestParam(defaultValue = "true") boolean locked,
            @RequestParam(defaultValue = "" + RaceSettings.DEFAULT_WORKERS) int workers)
            throws InterruptedException {
        return director.run(new RaceSettings(items, locked, workers));
    }

    @GetMapping("/{id}")
    RaceResult race(@PathVariable long id) {
        return report.of(id);
    }
}
