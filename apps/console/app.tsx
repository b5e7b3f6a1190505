import { MantineProvider } from "@mantine/core";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { BrowserRouter } from "react-router";
import { ApiProblem } from "./api/call.js";
import { SessionProvider } from "./api/session.js";
import { Frame } from "./frame/frame.js";
import { LiveProvider } from "./live/live.js";
import { theme } from "./theme/theme.js";

const queries = new QueryClient({
  defaultOptions: {
    // A browser that holds itself for offline would wait and say nothing; the request itself tells what is the matter.
    mutations: { networkMode: "always" },
    queries: {
      networkMode: "always",
      // A refusal is an answer; only what may pass by itself is asked again.
      retry: (failures, error) => failures < 2 && (!(error instanceof ApiProblem) || error.status === 503),
      staleTime: 2_000,
    },
  },
});

export function App() {
  return (
    <MantineProvider theme={theme} defaultColorScheme="auto" withCssVariables={false} withGlobalClasses={false}>
      <QueryClientProvider client={queries}>
        <SessionProvider>
          <LiveProvider>
            <BrowserRouter>
              <Frame />
            </BrowserRouter>
          </LiveProvider>
        </SessionProvider>
      </QueryClientProvider>
    </MantineProvider>
  );
}
