package io.holdfast.lock.spring.aop;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import io.holdfast.lock.spring.Runners;
import io.holdfast.lock.spring.Startup;
import io.holdfast.lock.spring.annotation.DistributedLock;
import io.holdfast.lock.testing.HeardLog;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Paths such as {@code #order.id}, compared with the declared types when the application starts. */
class PropertyPathTest {

    public record Customer(long id, String eMail) {}

    public static class Order {
        public final String city = "Bonn";

        public long getId() {
            return 42;
        }

        public boolean isPaid() {
            return true;
        }

        public Customer getCustomer() {
            return new Customer(7, "a@b");
        }

        public Animal getAnimal() {
            return new Dog();
        }

        public Optional<Customer> getBuyer() {
            return Optional.empty();
        }

        public Map<String, String> getLabels() {
            return Map.of("a", "b");
        }

        public List<Customer> getCustomers() {
            return List.of();
        }
    }

    public static class SpecialOrder extends Order {
        public String getDiscount() {
            return "none";
        }
    }

    public interface Animal {}

    public static class Dog implements Animal {
        public String getTail() {
            return "long";
        }
    }

    static class Known {
        @DistributedLock(name = "a", key = "#order.id")
        public void id(Order order) {}

        @DistributedLock(name = "b", key = "#order.customer.id + #order.customer.eMail")
        public void nested(Order order) {}

        @DistributedLock(name = "c", key = "{#order.city, #order.paid}", condition = "#order.paid")
        public void field(Order order) {}

        @DistributedLock(name = "d", key = "#order.animal.tail")
        public void ofTheValue(Order order) {}

        @DistributedLock(name = "e", key = "#order.customers.![id]")
        public void projected(Order order) {}

        @DistributedLock(name = "f", key = "#order.labels.a")
        public void ofAMap(Order order) {}

        @DistributedLock(name = "g", key = "#order['discount']")
        public void ofASubclass(Order order) {}

        @DistributedLock(name = "h", key = "#any.anything")
        public void ofAnything(Object any) {}

        @DistributedLock(name = "i", key = "#p0?.customer?.id ?: 'none'")
        public void byPosition(Order order) {}

        @DistributedLock(name = "j", key = "#text.bytes.length")
        public void ofAText(String text) {}

        @DistributedLock(name = "k", key = "#order.buyer.present")
        public void ofAnOptional(Order order) {}

        @DistributedLock(name = "l", key = "#orders.size + #root.methodName")
        public <T extends Order> void ofSeveral(List<T> orders, T order) {}
    }

    static class Misspelt {
        @DistributedLock(name = "a", key = "#customer.naem")
        public void pay(Customer customer) {}
    }

    static class MisspeltFurtherOn {
        @DistributedLock(name = "a", key = "'x:' + (#order.paid ? #order.customer.naem : 'none')")
        public void pay(Order order) {}
    }

    static class MisspeltInTheCondition {
        @DistributedLock(name = "a", condition = "#order.customer.naem != null")
        public void pay(Order order) {}
    }

    static class OfAnOpenClass {
        @DistributedLock(name = "a", key = "#order.naem")
        public void pay(Order order) {}
    }

    public static class Message<T extends Animal> {
        private final T payload;

        Message(T payload) {
            this.payload = payload;
        }

        public T getPayload() {
            return payload;
        }
    }

    public static final class Cat implements Animal {
        public String getName() {
            return "Tom";
        }
    }

    static class Generic {
        @DistributedLock(name = "a", key = "#message.payload.name")
        public void known(Message<Cat> message) {}

        @DistributedLock(name = "b", key = "#message.payload.name")
        public <T extends Animal> void unknown(Message<T> message) {}

        @DistributedLock(name = "c", key = "#message.payload.name")
        public void wild(Message<? extends Animal> message) {}

        @DistributedLock(name = "d", key = "#type.simpleName + #type.MAX_VALUE")
        public void ofAClass(Class<?> type) {}

        @DistributedLock(name = "e", key = "#root.methodName")
        public void ofTheRoot(Cat root) {}
    }

    static class MisspeltInAGeneric {
        @DistributedLock(name = "a", key = "#message.payload.naem")
        public void pay(Message<Cat> message) {}
    }

    @ParameterizedTest
    @ValueSource(
            classes = {Misspelt.class, MisspeltFurtherOn.class, MisspeltInTheCondition.class, MisspeltInAGeneric.class})
    void property_that_a_final_class_does_not_have_fails_startup(Class<?> bean) {
        Runners.inMemory()
                .withBean(bean)
                .run(context -> assertThat(Startup.failureOf(context))
                        .contains(
                                bean.getSimpleName() + ".pay(",
                                "has no readable property 'naem'",
                                "Available properties"));
    }

    @Test
    void message_names_the_properties_that_there_are() {
        Runners.inMemory()
                .withBean(Misspelt.class)
                .run(context -> assertThat(Startup.failureOf(context)).contains("Available properties: eMail, id."));
    }

    @Test
    void property_that_only_a_subclass_may_have_is_warned_of() {
        try (HeardLog log = new HeardLog("io.holdfast.lock.spring.key.LockExpression", Level.WARN)) {
            Runners.inMemory()
                    .withBean(OfAnOpenClass.class)
                    .withBean(Known.class)
                    .run(context -> assertThat(context).hasNotFailed());

            assertThat(log.events())
                    .singleElement()
                    .satisfies(event -> assertThat(event.getFormattedMessage())
                            .contains("OfAnOpenClass.pay(Order) has key = \"#order.naem\"")
                            .contains("animal, buyer, city, customer, customers, id, labels, paid."));
        }
    }

    @Test
    void generic_properties_are_read_by_their_type_arguments() {
        Runners.inMemory().withBean(Generic.class).run(context -> {
            assertThat(context).hasNotFailed();
            Generic bean = context.getBean(Generic.class);
            bean.known(new Message<>(new Cat()));
            bean.unknown(new Message<>(new Cat()));
            bean.wild(new Message<>(new Cat()));
            bean.ofAClass(Integer.class);
            bean.ofTheRoot(new Cat());
        });
    }

    @Test
    void what_can_be_read_or_cannot_be_known_yet_is_left_to_the_call() {
        Runners.inMemory().withBean(Known.class).run(context -> {
            assertThat(context).hasNotFailed();
            Known bean = context.getBean(Known.class);
            var order = new SpecialOrder();
            bean.id(order);
            bean.nested(order);
            bean.field(order);
            bean.ofTheValue(order);
            bean.ofASubclass(order);
            bean.byPosition(null);
            bean.ofAText("abc");
            bean.ofAnOptional(order);
        });
    }

    interface Named<T> {
        @DistributedLock(name = "named", key = "#order.id + ':' + #number")
        Object pay(T order, int number);
    }

    static class OtherNames implements Named<Order> {
        @Override
        public Object pay(Order what, int times) {
            return io.holdfast.lock.spring.annotation.LockContext.current()
                    .orElseThrow()
                    .key()
                    .value();
        }
    }

    static class SwappedNames implements Named<Integer> {
        @Override
        @DistributedLock(name = "swapped", key = "#number + ':' + #order")
        public Object pay(Integer number, int order) {
            return io.holdfast.lock.spring.annotation.LockContext.current()
                    .orElseThrow()
                    .key()
                    .value();
        }
    }

    @Test
    void parameters_have_the_names_that_they_have_where_the_annotation_stands() {
        Runners.inMemory()
                .withBean(OtherNames.class)
                .withBean(SwappedNames.class)
                .run(context -> {
                    assertThat(context).hasNotFailed();
                    assertThat(context.getBean(OtherNames.class).pay(new Order(), 3))
                            .isEqualTo("named:42:3");
                    assertThat(context.getBean(SwappedNames.class).pay(1, 2)).isEqualTo("swapped:1:2");
                });
    }
}
