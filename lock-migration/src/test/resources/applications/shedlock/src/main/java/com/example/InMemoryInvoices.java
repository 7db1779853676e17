package com.example;

import org.springframework.stereotype.Repository;

@Repository
public class InMemoryInvoices implements Invoices {

    @Override
    public int sendOpen() {
        return 3;
    }

    @Override
    public void remind() {}
}
