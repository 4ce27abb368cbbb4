import type { ReactNode } from 'react'

/** A titled part of the section, with actions at the end of the line. */
export function SettingsPart(props: { title: string; about: string; actions?: ReactNode; children?: ReactNode }) {
  return (
    <section aria-label={props.title} className="flex flex-col gap-2.5 border-line border-b pb-4">
      <div className="flex flex-wrap items-start gap-x-4 gap-y-2">
        <div className="min-w-[min(240px,100%)] flex-1">
          <h3 className="font-[560]">{props.title}</h3>
          <p className="text-faint text-s">{props.about}</p>
        </div>
        {props.actions && <div className="flex flex-wrap gap-2">{props.actions}</div>}
      </div>
      {props.children}
    </section>
  )
}
