package com.example;

import net.javacrumbs.shedlock.core.LockAssert;
import net.javacrumbs.shedlock.spring.annotation.SchedulerLock;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.stereotype.Component;

@Component
public class InvoiceJob {

    private final Invoices invoices;

    public InvoiceJob(Invoices invoices) {
        this.invoices = invoices;
    }

    @Scheduled(cron = "0 */15 * * * *")
    @SchedulerLock(name = "InvoiceJob_send", lockAtLeastFor = "PT5M", lockAtMostFor = "PT14M")
    public void send() {
        LockAssert.assertLocked();
        invoices.sendOpen();
    }

    @Scheduled(fixedDelayString = "3600000", initialDelayString = "3600000")
    @SchedulerLock(name = "InvoiceJob_remind")
    public void remind() {
        invoices.remind();
    }
}
