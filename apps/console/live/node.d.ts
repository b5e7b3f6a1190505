/** The client loads Node's own module where it is asked to keep a journal, which is never done here. */
declare module "node:fs/promises";
