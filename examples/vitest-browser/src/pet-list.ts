/** Shows the pets in a list. After a 429, shows the remaining wait. */
export async function showPets(list: HTMLUListElement, apiKey: string, fetch = globalThis.fetch): Promise<void> {
  for (;;) {
    const headers = { authorization: `Bearer ${apiKey}` };
    const response = await fetch('https://api.petstore.example/v1/pets', { headers });
    if (response.status !== 429) {
      const pets: { name: string }[] = await response.json();
      list.replaceChildren(
        ...pets.map(({ name }) => Object.assign(document.createElement('li'), { textContent: name })),
      );
      return;
    }
    const seconds = Number(response.headers.get('Retry-After'));
    list.textContent = `Too many requests. Going on in ${seconds} s`;
    await new Promise((resolve) => setTimeout(resolve, seconds * 1_000));
  }
}
