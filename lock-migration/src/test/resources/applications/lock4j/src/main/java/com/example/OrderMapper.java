package com.example;

public interface OrderMapper {

    int reduceStock(Long productId, int count);
}
