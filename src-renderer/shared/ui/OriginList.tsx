import { X } from 'lucide-react'

/** Web origins as chips, each with a button that removes it. */
export function OriginList(props: {
  origins: readonly string[]
  /** Accessible name of the button that removes `origin`. */
  removeLabel: (origin: string) => string
  onRemove: (origin: string) => void
}) {
  return (
    <ul className="flex flex-wrap gap-1.5">
      {props.origins.map((origin) => (
        <li key={origin} className="flex max-w-full items-center gap-1 rounded-m bg-hover py-0.5 pe-0.5 ps-2">
          <code className="min-w-0 truncate font-mono text-s">{origin}</code>
          <button
            type="button"
            aria-label={props.removeLabel(origin)}
            title={props.removeLabel(origin)}
            onClick={() => props.onRemove(origin)}
            className="grid size-6 shrink-0 place-items-center rounded-s text-soft hover:bg-raise hover:text-ink"
          >
            <X aria-hidden size={13} />
          </button>
        </li>
      ))}
    </ul>
  )
}
