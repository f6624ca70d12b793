import { Collection } from '@msw/data';

/**
 * Collection of @msw/data with an index by `id`, which never changes. `findFirst` of @msw/data would test one record
 * after another.
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

  // Updates the index after the update. The hook `update` would run before the schema has accepted the record.
  async update(predicate, options) {
    const record = await super.update(predicate, options);
    if (record !== undefined) this.#byId.set(record.id, record);
    return record;
  }
}
