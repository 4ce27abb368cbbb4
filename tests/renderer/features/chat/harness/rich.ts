/** A reply with every kind of content. */
export const rich = String.raw`The roots of $ax^2 + bx + c = 0$ are, for \(a \ne 0\), given by

$$x_{1,2} = \frac{-b \pm \sqrt{b^2 - 4ac}}{2a}$$

It costs $5 and not $6. Broken: $\frac{1$ and $\href{javascript:alert(1)}{x}$.

| Name | Formula | Value |
|:--|:-:|--:|
| Euler | $e^{i\pi}$ | -1 |
| Gauss | $\int_{-\infty}^{\infty} e^{-x^2}\,dx$ | $\sqrt\pi$ |

~~~ts
// Hold a trailing CR until the next byte decides.
export async function* lines(chunks: AsyncIterable<string>, limit = 4_096): AsyncGenerator<string> {
  const access = 'user${'\u202e \u2066'}// admin${'\u2069 \u2066'}'
  for await (const chunk of chunks) yield chunk.replace(/\r\n?/g, '\n')
}
~~~

~~~python
@cache
def area(r: float) -> float:
    """Area of a circle."""
    return math.pi * r ** 2  # units
~~~

~~~mermaid
graph LR
  A[Ask] --> B{Known?}
  B -->|yes| C[Answer]
  B -->|no| D[Search]
~~~

~~~diff
- let a = 1
+ let a = 2
~~~
`
