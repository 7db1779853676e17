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
    private final Races races;
    private final Selling selling;
    private final Instances instances;

    RaceController(RaceDirector director, Races races, Selling selling, Instances instances) {
        this.director = director;
        this.races = races;
        this.selling = selling;
        this.instances = instances;
    }

    @PostMapping
    RaceResult race(
            @RequestParam(defaultValue = "1000") int items,
            @RequestParam(defaultValue = "true") boolean locked,
            @RequestParam(defaultValue = "" + RaceSettings.DEFAULT_WORKERS) int workers,
            @RequestParam(defaultValue = "false") boolean pause) {
        return director.run(new RaceSettings(items, locked, workers, pause));
    }

    @GetMapping
    List<RaceResult> races() {
        return races.latest();
    }

    @GetMapping("/instances")
    List<String> instances() {
        return instances.alive().stream().map(Instances.Instance::name).toList();
    }

    @GetMapping("/{id}/sales")
    List<Sale> sales(@PathVariable long id, @RequestParam(defaultValue = "0") long after) {
        return races.sales(id, after);
    }

    /** Runs this instance's part of a race; called by the instance that directs it. */
    @PostMapping("/{id}/{runner}")
    Selling.Tally run(@PathVariable long id, @PathVariable String runner) throws InterruptedException {
        return selling.run(races.race(id), runner);
    }

    @GetMapping("/{id}")
    RaceResult race(@PathVariable long id) {
        return races.result(id);
    }
}
