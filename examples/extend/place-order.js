// Client that places one order. With --blindly, it repeats the order after a lost response without checking whether the
// order exists.
const { PETSTORE_BASE_URL, PETSTORE_API_KEY } = process.env;
const headers = { Authorization: `Bearer ${PETSTORE_API_KEY}`, 'Content-Type': 'application/json' };
const isBlind = process.argv.includes('--blindly');
const reference = 'order-2026-001';
const body = JSON.stringify({ petId: 1, quantity: 2, reference });

async function placeOrder() {
  for (let attempt = 1; attempt <= 3; attempt++) {
    try {
      const response = await fetch(`${PETSTORE_BASE_URL}/orders`, { method: 'POST', headers, body });
      if (response.status === 201) return await response.json();
      if (response.status !== 429) throw new Error(`expected 201, got ${response.status}: ${await response.text()}`);
      await new Promise((resolve) => setTimeout(resolve, Number(response.headers.get('retry-after')) * 1000 + 100));
    } catch (error) {
      if (error.name !== 'TypeError') throw error;
      // The connection was lost, but the order may be stored. Looks for the order first.
      const [stored] = isBlind ? [] : await findOrders();
      if (stored !== undefined) return stored;
    }
  }
  throw new Error('no order after 3 attempts');
}

async function findOrders() {
  const response = await fetch(`${PETSTORE_BASE_URL}/orders?reference=${reference}`, { headers });
  return response.json();
}

const { id, status } = await placeOrder();
console.log(`order ${id} is ${status}`);
