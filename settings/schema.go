package settings

import (
	"encoding/json"
	"strings"
)

// SchemaURL is where the schema is published, and what "$schema" in a file of
// settings names.
const SchemaURL = "https://raw.githubusercontent.com/agent-runs/agent-runs/main/docs/settings.schema.json"

// Patterns that say nearly what the command line accepts; whether a value is
// in range is said when it is read.
const (
	spanPattern    = `^(([0-9]+\.?[0-9]*|\.[0-9]+)(ns|us|µs|ms|s|m|h))+$|^[0-9]*\.?[0-9]+d$|^0$`
	sizePattern    = `^[0-9]+(\.[0-9]+)? ?([kKmMgGtTpP]([iI]?[bB])?|[bB])?$`
	runtimePattern = `^acp:.*\S$`
)

// schema is an object that keeps the order of its members, which a map does not.
type schema []member

func (s schema) with(name string, value any) schema {
	raw, err := json.Marshal(value)
	if err != nil { // strings, numbers and what is JSON already
		raw = json.RawMessage("null")
	}
	return append(s, member{name, raw})
}

// Schema is the JSON schema of a file of settings, for editors.
func Schema() []byte {
	top := schema{}.with("$schema", "https://json-schema.org/draft/2020-12/schema").with("$id", SchemaURL).
		with("title", "Settings of agent-runs").with("type", "object").with("additionalProperties", false)
	properties := schema{}.with("$schema", map[string]string{"type": "string"}).with("version", map[string]int{"const": 1})
	for _, k := range Keys() {
		section, _, nested := strings.Cut(k.Name, ".")
		switch {
		case !nested:
			properties = properties.with(k.Name, k.schema())
		case properties[len(properties)-1].name != section:
			properties = properties.with(section, schemaOf(section))
		}
	}
	return indented(object(top.with("properties", properties.raw())))
}

func schemaOf(section string) json.RawMessage {
	var inside schema
	for _, k := range Keys() {
		if name, ok := strings.CutPrefix(k.Name, section+"."); ok {
			inside = inside.with(name, k.schema())
		}
	}
	return schema{}.with("type", "object").with("additionalProperties", false).with("properties", inside.raw()).raw()
}

func (s schema) raw() json.RawMessage { return object(s) }

func (k Key) schema() json.RawMessage {
	s := schema{}.with("description", k.Doc)
	if v, err := k.Parse(k.Default); k.Default != "" && err == nil {
		s = s.with("default", k.JSON(v))
	}
	switch k.Kind {
	case Count:
		s = s.with("type", "integer").with("minimum", k.Least).with("maximum", k.Most)
	case Dollars:
		s = s.with("type", "number").with("minimum", k.Least).with("maximum", k.Most)
	case Span:
		s = s.with("type", "string").with("pattern", spanPattern)
	case Size:
		s = s.with("type", "string").with("pattern", sizePattern)
	case Runtime:
		s = s.with("anyOf", []any{map[string]any{"enum": RuntimeNames()}, map[string]any{"type": "string", "pattern": runtimePattern}})
	}
	return s.raw()
}
