/** The server of a name on the same Node as another. */
export const onSameNode = (rows, name, { on }) =>
  rows.find((row) => row.on === on && (row.name === name || row.name === `${name} on Node 24`));
