import type { ReactNode } from 'react'

/** A titled section of the inspector. */
export function InspectorSection({
  title,
  aside,
  children,
}: {
  title: string
  aside?: ReactNode
  children: ReactNode
}) {
  return (
    <section aria-label={title} className="px-4 py-3">
      <div className="mb-2 flex min-h-5 items-center gap-2">
        <h2 className="font-semibold text-s text-soft">{title}</h2>
        <span className="ms-auto" />
        {aside}
      </div>
      {children}
    </section>
  )
}
