package com.example;

public interface Invoices {

    int sendOpen();

    void remind();
}
