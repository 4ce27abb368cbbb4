import { Children, Fragment, type ReactNode } from 'react'

/** Facts of one line, as `joinFacts` joins texts. Each child keeps its own direction. Absent children leave no separator. */
export const Facts = ({ children }: { children: ReactNode }) =>
  Children.toArray(children).map((fact, at) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: facts have no other order
    <Fragment key={at}>
      {at > 0 && ' · '}
      <bdi>{fact}</bdi>
    </Fragment>
  ))
