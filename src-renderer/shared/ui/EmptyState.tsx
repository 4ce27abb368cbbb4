import type { LucideIcon } from 'lucide-react'
import type { ReactNode } from 'react'

/** The empty state of a page or list: its purpose, and one action. */
export function EmptyState(props: { icon: LucideIcon; title: string; children?: ReactNode; action?: ReactNode }) {
  const Icon = props.icon
  return (
    <div className="m-auto flex max-w-[440px] flex-col items-center px-6 py-10 text-center">
      <div className="mb-4 grid size-12 place-items-center rounded-l bg-raise text-accent shadow-[0_0_0_1px_var(--line),var(--lift-small)]">
        <Icon aria-hidden size={22} strokeWidth={1.5} />
      </div>
      <h2 className="font-semibold text-l tracking-[-.01em]">{props.title}</h2>
      {props.children && <div className="mt-1.5 text-balance text-soft">{props.children}</div>}
      {props.action && <div className="mt-5 flex flex-wrap justify-center gap-2">{props.action}</div>}
    </div>
  )
}
