import type { ReactNode } from 'react'
import { useChatTranslate } from '../messages.ts'

/** One fact: name and value. `part`: a part of the previous line. */
export function Fact(props: { name: string; part?: boolean; mono?: boolean; children: ReactNode }) {
  const t = useChatTranslate()
  const { children } = props
  const known = children !== null && children !== undefined && children !== ''
  return (
    <div data-part={props.part} data-mono={props.mono}>
      <dt>{props.name}</dt>
      <dd data-unknown={!known}>{known ? children : t('notReported')}</dd>
    </div>
  )
}
