package com.example;

import org.springframework.stereotype.Repository;

@Repository
public class Wallets {

    public long debit(long id, long cents) {
        return cents;
    }
}
