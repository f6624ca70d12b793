/** Whether the state is to be kept in a store that several servers share, and in no folder. */
export const isRedisAddress = (data: string): boolean => /^rediss?:/i.test(data);
