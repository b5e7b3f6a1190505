import { kindOf, PROBLEM_CODES, type ProblemCode } from "../problems/table.js";

/** The page that the `type` of every problem leads to. */
export function errorsPage(): string {
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>Holdfast: errors</title>
<style>body{font:16px/1.5 system-ui,sans-serif;max-width:46rem;margin:2rem auto;padding:0 1rem}:target{background:#fff3bf}</style></head>
<body>
<h1>Errors</h1>
<p>Every refusal is <code>application/problem+json</code>. Programs act on <code>code</code> and <code>retryable</code>.</p>
${PROBLEM_CODES.map(section).join("\n")}
</body>
</html>
`;
}

function section(code: ProblemCode): string {
  const { status, title, retryable } = kindOf(code);
  const advice = retryable ? "The same request may succeed later." : "The same request, unchanged, is refused again.";
  return `<h2 id="${code}">${status} <code>${code}</code></h2>\n<p>${title}. ${advice}</p>`;
}
