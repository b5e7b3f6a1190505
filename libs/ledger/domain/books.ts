import { TenantBook } from "./book.js";

/** The books of one batch by their ids; each of them sees the others. */
export type Books = Map<string, TenantBook>;

/** The book of this id, empty where it is new to the batch. */
export function bookIn(books: Books, id: string): TenantBook {
  let book = books.get(id);
  if (!book) books.set(id, (book = new TenantBook(id, false, books)));
  return book;
}
