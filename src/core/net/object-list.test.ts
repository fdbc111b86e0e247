import { describe, expect, it } from 'vitest';
import { objectList } from './object-list.js';

describe('objectList', () => {
  it('is empty, takes entries as any list, and is another one each time', () => {
    const list = objectList<{ name: string }>();
    expect(list).toEqual([]);
    list.push({ name: 'a' });
    expect(list).toEqual([{ name: 'a' }]);
    expect(objectList()).toEqual([]);
  });
});
