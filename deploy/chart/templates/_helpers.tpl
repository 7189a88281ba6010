{{- define "unecho.name" -}}
{{- if contains "unecho" .Release.Name -}}{{ .Release.Name | trunc 52 | trimSuffix "-" }}{{- else -}}{{ .Release.Name | trunc 45 | trimSuffix "-" }}-unecho{{- end -}}
{{- end }}

{{- define "unecho.account" -}}
{{- .Values.serviceAccount.name | default (ternary (include "unecho.name" .) "default" .Values.serviceAccount.create) -}}
{{- end }}

{{- define "unecho.selector" -}}
app.kubernetes.io/name: unecho
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "unecho.labels" -}}
{{ include "unecho.selector" . }}
app.kubernetes.io/version: {{ .Values.image.tag | default .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ .Chart.Name }}-{{ .Chart.Version }}
{{- end }}

{{- /* The configuration: what the values say, and where the pod needs it so, what it needs. */ -}}
{{- define "unecho.config" -}}
{{- $defaults := dict "group" .Release.Name "log" (dict "format" "json") -}}
{{- $config := mergeOverwrite $defaults (deepCopy .Values.config) (dict "http" (merge (dict "listen" ":9464") (.Values.config.http | default dict))) -}}
{{- if not (.Values.config.kafka).brokers }}{{ fail "config.kafka.brokers: where is Kafka? Give host:port" }}{{ end -}}
{{- if not .Values.config.sources }}{{ fail "config.sources: which topics are read?" }}{{ end -}}
{{- if not .Values.image.repository }}{{ fail "image.repository: where is the image? None is published: make image builds one, and pushes it to a registry of yours" }}{{ end -}}
{{- if eq (include "unecho.store" .) "directory" }}{{ include "unecho.volumes" . }}{{ $_ := set $config "snapshots" (merge (dict "directory" (merge (($config.snapshots).directory | default dict) (dict "path" "/var/lib/unecho/snapshots" "for" "only"))) ($config.snapshots | default dict)) }}{{ end -}}
{{- toYaml $config -}}
{{- end }}

{{- /* Where snapshots are kept: in a volume of each pod, unless a bucket or a database is named here, or a database by a Secret. */ -}}
{{- define "unecho.store" -}}
{{- $store := "directory" -}}
{{- if (.Values.config.snapshots).postgres }}{{ $store = "postgres" }}{{ end -}}
{{- if (.Values.config.snapshots).s3 }}{{ $store = "s3" }}{{ end -}}
{{- range .Values.secrets }}{{ if eq .setting "snapshots.postgres.url" }}{{ $store = "postgres" }}{{ end }}{{ end -}}
{{- $store -}}
{{- end }}

{{- /* What pods with a volume each can do. */ -}}
{{- define "unecho.volumes" -}}
{{- $for := ((.Values.config.snapshots).directory).for | default "only" -}}
{{- if eq $for "all" }}{{ fail "config.snapshots.directory.for: all: each pod has a volume of its own, which the others do not see. Name a bucket (config.snapshots.s3.bucket) or a database by a Secret (secrets, snapshots.postgres.url), or run one pod with for: only" }}{{ end -}}
{{- if and (or (kindIs "invalid" .Values.replicas) (gt (int .Values.replicas) 1)) (ne $for "member") }}{{ fail "replicas: several pods take a store that all see: name a bucket (config.snapshots.s3.bucket) or a database by a Secret (secrets, snapshots.postgres.url), or run one pod. With config.snapshots.directory.for: member they run on a volume each, and nobody trims the journal, which grows for ever" }}{{ end -}}
{{- end }}

{{- /* What the port speaks. Probes take any certificate. */ -}}
{{- define "unecho.scheme" -}}
{{- if ((.Values.config.http).tls).cert_file }}HTTPS{{ else }}HTTP{{ end -}}
{{- end }}

{{- /* A size of the configuration in MiB, rounded up. */ -}}
{{- define "unecho.mib" -}}
{{- $given := .given -}}
{{- if kindIs "float64" $given }}{{ $given = printf "%.0f" $given }}{{ end -}}{{- /* numbers of values are floats */ -}}
{{- $bytes := $given | toString | lower | replace " " "" -}}
{{- $number := regexFind "^[0-9]+" $bytes | int64 -}}
{{- $unit := regexFind "[a-z]+$" $bytes | trimSuffix "b" -}}
{{- $units := dict "" 1 "k" 1000 "m" 1000000 "g" 1000000000 "t" 1000000000000 "ki" 1024 "mi" 1048576 "gi" 1073741824 "ti" 1099511627776 -}}
{{- if or (eq (regexFind "^[0-9]+" $bytes) "") (not (hasKey $units $unit)) }}{{ fail (printf "%s is a variable, or no size: set resources.memory" .key) }}{{ end -}}
{{ div (add (mul $number (get $units $unit | int64)) 1048575) 1048576 }}
{{- end }}

{{- /* What a member says that it may take (cmd/internal/memory), in MiB: its window, 5 % more, and half a GiB besides, in which
two sessions and documents of up to 8 MiB have room. */ -}}
{{- define "unecho.memory" -}}
{{- if .Values.resources.memory -}}
{{ .Values.resources.memory }}
{{- else -}}
{{- if dig "directory" "" ((.Values.config.duplicates).remember | default dict) }}{{ fail "config.duplicates.remember.directory keeps most of the window in files, and how much stays in memory depends on the documents: set resources.memory" }}{{ end -}}
{{- $window := include "unecho.mib" (dict "key" "config.duplicates.remember.memory" "given" (dig "memory" "1GiB" ((.Values.config.duplicates).remember | default dict))) | int64 -}}
{{- if eq $window 0 }}{{ fail "config.duplicates.remember.memory is 0, so the window has no bound: set resources.memory" }}{{ end -}}
{{- $document := include "unecho.mib" (dict "key" "config.advanced.max_document_bytes" "given" (dig "max_document_bytes" "1MiB" (.Values.config.advanced | default dict))) | int64 -}}
{{- $sessions := dig "sessions" 2 (.Values.config.advanced | default dict) | int64 -}}
{{- if eq $sessions 0 }}{{ fail "config.advanced.sessions is a variable, or no number: set resources.memory" }}{{ end -}}
{{- $fetch := max 16 (mul 2 $document) -}}
{{- $batch := max 32 (mul 2 $document) -}}
{{- $more := sub (mul $sessions (add (mul 6 $fetch) (mul 2 $batch))) 320 -}}
{{ add 512 (max 0 $more) (div (add (mul $window 105) 99) 100) }}Mi
{{- end -}}
{{- end }}
