package com.example;

import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.anyLong;
import static org.mockito.ArgumentMatchers.anyString;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.verify;
import static org.mockito.Mockito.when;

import com.baomidou.lock.LockInfo;
import com.baomidou.lock.LockTemplate;
import org.junit.jupiter.api.Test;

class OrderServiceTest {

    private final OrderMapper orderMapper = mock(OrderMapper.class);

    @Test
    void createsAnOrder() {
        when(orderMapper.reduceStock(1L, 2)).thenReturn(1);

        assertTrue(new OrderService(orderMapper).create(1L, 2));
    }

    @Test
    void restocksUnderTheLock() {
        LockTemplate lockTemplate = mock(LockTemplate.class);
        LockInfo lockInfo = mock(LockInfo.class);
        when(lockTemplate.lock(anyString(), anyLong(), anyLong(), any())).thenReturn(lockInfo);
        when(orderMapper.reduceStock(1L, -1)).thenReturn(1);

        assertTrue(new StockService(lockTemplate, orderMapper).restock(1L));
        verify(lockTemplate).releaseLock(lockInfo);
    }
}
