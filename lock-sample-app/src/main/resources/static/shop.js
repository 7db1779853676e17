// Products and orders.

import { ask, at, busy, cell, say } from './common.js';

const money = cents => (cents / 100).toFixed(2);

function button(text, action) {
  const made = document.createElement('button');
  made.type = 'button';
  made.textContent = text;
  made.addEventListener('click', () => busy('order-status', action));
  return made;
}

async function show() {
  const [products, orders] = await Promise.all([ask('products'), ask('orders')]);
  at('products').replaceChildren();
  for (const product of products) {
    const row = at('products').insertRow();
    cell(row, product.name);
    cell(row, money(product.priceCents), 'n');
    cell(row, product.quantity, 'n');
    cell(row, button('Order one', () => order(product)));
  }
  at('orders').replaceChildren();
  for (const each of orders) {
    const row = at('orders').insertRow();
    cell(row, each.id);
    cell(row, money(each.amountCents), 'n');
    cell(row, each.paid ? 'paid' : 'open');
    cell(row, each.paid ? '' : button('Pay 5 times', () => pay(each)));
  }
}

async function order(product) {
  const placed = await ask(`orders?product=${product.id}&quantity=1`, 'POST');
  await show();
  say('order-status', `Order ${placed.id} is placed.`);
}

async function pay(each) {
  const receipts = await Promise.all(Array.from({ length: 5 }, () => ask(`orders/${each.id}/payment`, 'POST')));
  await show();
  const charged = receipts.filter(receipt => receipt.charged).length;
  say('order-status', `Order ${each.id}: 5 requests, charged ${charged} time${charged === 1 ? '' : 's'}, receipt ${receipts[0].paymentId}.`,
    charged === 1 ? 'good' : 'bad');
}

busy('order-status', show);
