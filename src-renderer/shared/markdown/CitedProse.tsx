import { useContext } from 'react'
import { CitationsContext } from './context.ts'
import { revealedProse } from './hiddenCharacters.tsx'
import { useMarkdownTexts } from './messages.ts'

/** `[1]` or `[1, 2]`. */
const marks = /(\[\d{1,4}(?:\s?,\s?\d{1,4}){0,9}\])/
const numbersIn = /\d+/g

/** Prose in which numbers in brackets open the sources with these numbers. Other numbers in brackets are text. */
export function CitedProse({ text }: { text: string }) {
  return marks.test(text) ? <WithCitations text={text} /> : revealedProse(text)
}

function WithCitations({ text }: { text: string }) {
  const citations = useContext(CitationsContext)
  if (citations === null) return revealedProse(text)
  return text.split(marks).map((piece, at) => {
    // Text and marks alternate, as `split` with a group returns them.
    const numbers = at % 2 === 0 ? [] : (piece.match(numbersIn) ?? []).map(Number)
    const isCited = numbers.length > 0 && numbers.every((number) => citations.nameOf(number) !== null)
    const key = `c${at}`
    if (!isCited) return <span key={key}>{revealedProse(piece)}</span>
    return numbers.map((number, place) => <Citation key={`${key}.${numberKey(place)}`} number={number} />)
  })
}

const numberKey = (place: number): string => String(place)

function Citation({ number }: { number: number }) {
  const citations = useContext(CitationsContext)
  const t = useMarkdownTexts()
  const name = t('citation', { number, name: citations?.nameOf(number) ?? '' })
  return (
    <button type="button" className="md-cite" title={name} aria-label={name} onClick={() => citations?.open(number)}>
      [{number}]
    </button>
  )
}
