import { Switch as Radix } from 'radix-ui'

export function Switch(props: {
  checked: boolean
  onChange: (on: boolean) => void
  label: string
  disabled?: boolean
}) {
  return (
    <Radix.Root
      checked={props.checked}
      onCheckedChange={props.onChange}
      disabled={props.disabled ?? false}
      aria-label={props.label}
      className="relative h-5 w-9 shrink-0 rounded-full bg-faint transition-colors duration-100 disabled:opacity-50 data-[state=checked]:bg-accent"
    >
      <Radix.Thumb className="block size-4 translate-x-0.5 rtl:-translate-x-0.5 rounded-full bg-raise shadow-small transition-transform duration-100 data-[state=checked]:translate-x-[18px] rtl:data-[state=checked]:-translate-x-[18px]" />
    </Radix.Root>
  )
}
