import type { Coverage, PackedView, Series, View } from './usage.ts'

// Both ends of `packedView`.

const letters: Record<Coverage, string> = { whole: 'w', running: 'r', partial: 'p', gap: 'g' }
const states = new Map<string, Coverage>([
  ['w', 'whole'],
  ['r', 'running'],
  ['p', 'partial'],
  ['g', 'gap'],
])

/** No cell has a comma: they are numbers, decimal amounts and days. Null becomes nothing between two commas. */
const packed = (cells: readonly (number | string | null)[]): string => cells.join(',')

export function packView({ buckets, series, ...view }: View): PackedView {
  return {
    ...view,
    buckets: {
      from: packed(buckets.map(({ from }) => from)),
      to: packed(buckets.map(({ to }) => to)),
      state: buckets.map(({ state }) => letters[state]).join(''),
    },
    series: series.map(({ requests, tokensIn, tokensOut, tokensCached, cost, ...one }) => ({
      ...one,
      requests: packed(requests),
      tokensIn: packed(tokensIn),
      tokensOut: packed(tokensOut),
      tokensCached: packed(tokensCached),
      cost: packed(cost),
    })),
  }
}

/** The view as it was; a column is read when somebody looks at it first. */
export function unpackView({ buckets: { from, to, state }, series, ...view }: PackedView): View {
  const last = to.split(',')
  const buckets = from.split(',').flatMap((first, at): View['buckets'] => {
    const known = states.get(state[at] ?? '')
    return known ? [{ from: first, to: last[at] ?? first, state: known }] : []
  })
  return { ...view, buckets, series: series.map(lazySeries) }
}

function lazySeries({ id, name, colour, total, ...columns }: PackedView['series'][number]): Series {
  const requests = once(() => counts(columns.requests))
  const tokensIn = once(() => counts(columns.tokensIn))
  const tokensOut = once(() => counts(columns.tokensOut))
  const tokensCached = once(() => counts(columns.tokensCached))
  const cost = once(() => columns.cost.split(',').map((cell) => (cell === '' ? null : cell)))
  return {
    ...{ id, name, colour, total },
    get requests() {
      return requests()
    },
    get tokensIn() {
      return tokensIn()
    },
    get tokensOut() {
      return tokensOut()
    },
    get tokensCached() {
      return tokensCached()
    },
    get cost() {
      return cost()
    },
  }
}

function once<T>(make: () => T): () => T {
  let made: { value: T } | null = null
  return () => {
    made ??= { value: make() }
    return made.value
  }
}

const counts = (column: string): (number | null)[] =>
  column.split(',').map((cell) => (cell === '' ? null : Number(cell)))
