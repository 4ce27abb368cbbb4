import { Fragment } from 'react'
import { hitsIn } from './find.ts'

/** A text with the matches marked. `current` names the current match for screen readers. */
export function Marked({ text, needle, current = -1 }: { text: string; needle: string; current?: number }) {
  const hits = hitsIn(text, needle)
  if (hits.length === 0) return text
  let end = 0
  return (
    <>
      {hits.map(([from, to], at) => {
        const before = text.slice(end, from)
        end = to
        return (
          <Fragment key={from}>
            {before}
            <mark data-current={at === current} className="transcribe-hit">
              {text.slice(from, to)}
            </mark>
          </Fragment>
        )
      })}
      {text.slice(end)}
    </>
  )
}
