package com.example;

import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.verify;
import static org.mockito.Mockito.when;

import net.javacrumbs.shedlock.core.LockAssert;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class InvoiceJobTest {

    private final Invoices invoices = mock(Invoices.class);
    private final InvoiceJob job = new InvoiceJob(invoices);

    @BeforeEach
    void noLocks() {
        LockAssert.TestHelper.makeAllAssertsPass(true);
    }

    @AfterEach
    void locks() {
        LockAssert.TestHelper.makeAllAssertsPass(false);
    }

    @Test
    void sendsOpenInvoices() {
        when(invoices.sendOpen()).thenReturn(2);

        job.send();

        verify(invoices).sendOpen();
    }
}
