package com.example;

import org.springframework.stereotype.Component;

@Component
public class Files {

    public int load(String name) {
        return name.length();
    }
}
