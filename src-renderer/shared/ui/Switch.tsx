import { Switch as Radix } from 'radix-ui'

export function Switch(props: {
  checked: boolean
  onChange: (on: boolean) => void
  label: string
  /** Id of a text that explains the switch. */
  describedBy?: string
  disabled?: boolean
}) {
  return (
    <Radix.Root
      checked={props.checked}
      onCheckedChange={props.onChange}
      disabled={props.disabled ?? false}
      aria-label={props.label}
      aria-describedby={props.describedBy}
      // An outline when off, filled when on, so that enabled switches are easy to find.
      className="relative h-5 w-9 shrink-0 rounded-full shadow-[inset_0_0_0_1px_var(--quiet)] transition-colors duration-100 disabled:opacity-50 data-[state=checked]:bg-accent data-[state=checked]:shadow-none"
    >
      <Radix.Thumb className="block size-3 translate-x-1 rounded-full bg-quiet transition-transform duration-100 data-[state=checked]:size-4 data-[state=checked]:translate-x-[18px] data-[state=checked]:bg-raise data-[state=checked]:shadow-small rtl:-translate-x-1 rtl:data-[state=checked]:-translate-x-[18px]" />
    </Radix.Root>
  )
}
