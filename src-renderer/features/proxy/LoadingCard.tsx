import { Card } from '../../shared/ui/Card.tsx'
import { Skeleton } from '../../shared/ui/Skeleton.tsx'

/** Placeholder lines of the given widths (class names) while a part of the page loads. */
export function LoadingCard({ label, widths }: { label: string; widths: readonly string[] }) {
  return (
    <Card className="flex flex-col gap-3.5 p-4">
      <span role="status" className="sr-only">
        {label}
      </span>
      {widths.map((width) => (
        <Skeleton key={width} className={width} />
      ))}
    </Card>
  )
}
