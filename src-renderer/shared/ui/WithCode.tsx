/** A text of this program in which code stands between backticks, such as "Run `npm start`." */
export const WithCode = ({ text }: { text: string }) =>
  text.split('`').map((part, at) =>
    at % 2 === 0 ? (
      part
    ) : (
      // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a text never change their order
      <code key={at} className="font-mono">
        {part}
      </code>
    ),
  )
