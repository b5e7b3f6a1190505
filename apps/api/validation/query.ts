const ACCEPTS_QUERY = Symbol("accepts query");

/** Marks a route that reads query parameters; every other route refuses them, since one that is ignored misleads. */
export function AcceptsQuery(target: object, name: string | symbol): void {
  Reflect.defineMetadata(ACCEPTS_QUERY, true, (target as Record<string | symbol, object>)[name]!);
}

export function acceptsQuery(handler: object): boolean {
  return Reflect.getMetadata(ACCEPTS_QUERY, handler) === true;
}
