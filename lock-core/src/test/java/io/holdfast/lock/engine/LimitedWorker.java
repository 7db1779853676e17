package io.holdfast.lock.engine;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Scanner;
import java.util.function.BooleanSupplier;

/** All scenes in a process that may start no more threads while it begins them. Each line of its input is the next step. */
final class LimitedWorker {

    private LimitedWorker() {}

    @SuppressWarnings("SystemOut") // this is how it talks to the test
    private static void say(String word) {
        System.out.println(word);
    }

    public static void main(String[] arguments) throws Exception {
        Map<Scene, Scene.Clients> clients = new EnumMap<>(Scene.class);
        for (Scene scene : Scene.values()) {
            clients.put(scene, new Scene.Clients());
            scene.prepare(clients.get(scene));
        }
        Scanner input = new Scanner(System.in);
        say("ready");
        input.nextLine();
        say(mayStartThreads() ? "unlimited" : "limited");
        Map<Scene, BooleanSupplier> through = new EnumMap<>(Scene.class);
        for (Scene scene : Scene.values()) {
            through.put(scene, scene.begin(clients.get(scene)));
        }
        say("begun");
        while (!input.nextLine().equals("end")) {
            List<Scene> left = new ArrayList<>();
            through.forEach((scene, isThrough) -> {
                if (!isThrough.getAsBoolean()) {
                    left.add(scene);
                }
            });
            say(left.toString());
        }
        System.exit(0); // the clients are closed with the process
    }

    private static boolean mayStartThreads() {
        try {
            Thread thread = new Thread(() -> {});
            thread.start();
            thread.join();
            return true;
        } catch (OutOfMemoryError noThread) {
            return false;
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
