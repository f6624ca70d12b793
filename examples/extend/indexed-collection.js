import { Collection } from '@msw/data';

/**
 * A collection of records with an `id` that never changes, and an index by `id`. `findFirst` of @msw/data tests one record
 * after another instead.
 */
export class IndexedCollection extends Collection {
  #byId = new Map();

  constructor(options) {
    super(options);
    this.hooks.on('create', ({ data: { record } }) => {
      this.#byId.set(record.id, record);
    });
    this.hooks.on('delete', ({ data: { deletedRecord } }) => {
      this.#byId.delete(deletedRecord.id);
    });
  }

  get(id) {
    return this.#byId.get(id);
  }

  // The hook `update` runs before the schema has accepted the record.
  async update(predicate, options) {
    const record = await super.update(predicate, options);
    if (record !== undefined) this.#byId.set(record.id, record);
    return record;
  }
}
