import { useWindowVirtualizer } from "@tanstack/react-virtual";
import { useEffect, useRef, useState, type ReactNode } from "react";
import { Notice } from "../frame/notice.js";
import table from "../frame/table.module.css";
import { usePages, type Params } from "./use-pages.js";

export interface Column<T> {
  readonly title: string;
  readonly cell: (row: T) => ReactNode;
  /** Numbers stand to the right. */
  readonly right?: boolean;
}

interface Props<T> {
  readonly label: string;
  readonly path: string;
  readonly params?: Params;
  readonly columns: readonly Column<T>[];
  readonly rowKey: (row: T) => string;
  /** What to say of a list without rows. */
  readonly empty: ReactNode;
  readonly refreshMs?: number;
}

const ROW_PX = 41;
const AHEAD_ROWS = 12;

/**
 * A list of any length: rows are fetched as they come near and only those near the window are in the page. The
 * roles are named since a narrow screen shows the rows as cards, which would take them away.
 */
export function PagedTable<T>({ label, path, params, columns, rowKey, empty, refreshMs }: Props<T>) {
  const list = usePages<T>(path, params, refreshMs);
  const rows = list.data?.pages.flatMap(({ data }) => data) ?? [];
  const { place, virtual } = useRows(rows.length);
  const items = virtual.getVirtualItems();
  const last = items.at(-1)?.index ?? -1;
  const { hasNextPage, isFetchingNextPage, isError, fetchNextPage } = list;
  useEffect(() => {
    const isNear = last >= rows.length - AHEAD_ROWS;
    if (isNear && hasNextPage && !isFetchingNextPage && !isError) void fetchNextPage();
  }, [last, rows.length, hasNextPage, isFetchingNextPage, isError, fetchNextPage]);
  const above = (items[0]?.start ?? 0) - virtual.options.scrollMargin;
  const below = virtual.getTotalSize() - (items.at(-1)?.end ?? 0) + virtual.options.scrollMargin;
  return (
    <>
      {list.error && <Notice error={list.error} onRetry={() => void list.refetch()} />}
      {list.isPending && <p className={table.empty}>Loading …</p>}
      {list.isSuccess && rows.length === 0 && <p className={table.empty}>{empty}</p>}
      <div
        className={table.scroll}
        ref={place}
        role="region"
        aria-label={label}
        tabIndex={0}
        hidden={rows.length === 0}
      >
        <table
          role="table"
          className={`${table.table} ${table.cards}`}
          aria-rowcount={hasNextPage ? -1 : rows.length + 1}
        >
          <Head columns={columns} />
          <tbody role="rowgroup">
            <Spacer height={above} columns={columns.length} />
            {items.map(({ index }) => (
              <Row
                key={rowKey(rows[index]!)}
                row={rows[index]!}
                index={index}
                columns={columns}
                measure={virtual.measureElement}
              />
            ))}
            <Spacer height={below} columns={columns.length} />
          </tbody>
        </table>
      </div>
      {isFetchingNextPage && <p className={table.empty}>Loading more …</p>}
    </>
  );
}

function useRows(count: number) {
  const place = useRef<HTMLDivElement>(null);
  const [scrollMargin, setScrollMargin] = useState(0);
  useEffect(() => {
    const top = place.current?.getBoundingClientRect().top ?? 0;
    setScrollMargin(top + window.scrollY);
  }, [count]);
  const virtual = useWindowVirtualizer({ count, estimateSize: () => ROW_PX, overscan: AHEAD_ROWS, scrollMargin });
  return { place, virtual };
}

function Head<T>({ columns }: Pick<Props<T>, "columns">) {
  return (
    <thead role="rowgroup">
      <tr role="row">
        {columns.map(({ title, right }) => (
          <th key={title} role="columnheader" scope="col" className={right ? table.right : undefined}>
            {title}
          </th>
        ))}
      </tr>
    </thead>
  );
}

interface RowProps<T> extends Pick<Props<T>, "columns"> {
  readonly row: T;
  readonly index: number;
  /** Rows are as high as what they hold. */
  readonly measure: (row: HTMLTableRowElement | null) => void;
}

function Row<T>({ row, index, columns, measure }: RowProps<T>) {
  return (
    <tr role="row" data-index={index} ref={measure} aria-rowindex={index + 2}>
      {columns.map(({ title, cell, right }) => (
        <td key={title} role="cell" data-title={title} className={right ? `number ${table.right}` : undefined}>
          {cell(row)}
        </td>
      ))}
    </tr>
  );
}

/** Stands for the rows that are not in the page. */
function Spacer({ height, columns }: { readonly height: number; readonly columns: number }) {
  if (height < 1) return null;
  return (
    <tr aria-hidden className={table.spacer}>
      <td colSpan={columns} style={{ height }} />
    </tr>
  );
}
