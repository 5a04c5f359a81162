/** The stability class of a metric (KEP-1209). It precedes the help text. */
export type MetricStability = "ALPHA" | "BETA" | "STABLE";
