// Renders one chart as `helm template` does, for one values file after another: a request a line, an answer a line.
//
// All of it is Helm's own; but the chart is read and its schema compiled once, which the program does for each values
// file. tests/chart/test_renderer.py holds it to the programs.
package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"os"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"helm.sh/helm/v3/pkg/action"
	"helm.sh/helm/v3/pkg/chart"
	"helm.sh/helm/v3/pkg/chart/loader"
	"helm.sh/helm/v3/pkg/chartutil"
	"helm.sh/helm/v3/pkg/cli/values"
	"helm.sh/helm/v3/pkg/getter"
	"sigs.k8s.io/yaml"
)

type request struct {
	Release     string   `json:"release"`
	Values      string   `json:"values"`
	Files       []string `json:"files"`
	APIVersions []string `json:"apiVersions"`
}

type answer struct {
	Code   int    `json:"code"`
	Stdout string `json:"stdout"`
	Stderr string `json:"stderr"`
}

type renderer struct {
	files  []*loader.BufferedFile
	schema *jsonschema.Schema
	kube   *chartutil.KubeVersion
}

func main() {
	log.SetFlags(0)
	server, err := start(os.Args[1], os.Args[2])
	if err != nil {
		log.Fatal(err)
	}
	lines, out := bufio.NewReader(os.Stdin), json.NewEncoder(os.Stdout)
	for {
		line, err := lines.ReadBytes('\n')
		if err == io.EOF {
			return
		}
		var asked request
		if err = errors.Join(err, json.Unmarshal(line, &asked)); err != nil {
			log.Fatal(err)
		}
		if err = out.Encode(server.answer(asked)); err != nil {
			log.Fatal(err)
		}
	}
}

// start reads the chart and compiles its schema as chartutil.ValidateAgainstSingleSchema does. The library alone would
// say that it serves Kubernetes 1.20.
func start(folder, kube string) (*renderer, error) {
	version, err := chartutil.ParseKubeVersion(kube)
	if err != nil {
		return nil, err
	}
	read, err := loader.LoadDir(folder)
	if err != nil {
		return nil, err
	}
	for _, inner := range read.Dependencies() {
		if inner.Schema != nil {
			return nil, fmt.Errorf("chart %s: a schema of a chart within the chart is not looked at here", inner.Name())
		}
	}
	content, err := jsonschema.UnmarshalJSON(bytes.NewReader(read.Schema))
	if err != nil {
		return nil, err
	}
	compiler := jsonschema.NewCompiler()
	if err := compiler.AddResource("file:///values.schema.json", content); err != nil {
		return nil, err
	}
	schema, err := compiler.Compile("file:///values.schema.json")
	if err != nil {
		return nil, err
	}
	files := []*loader.BufferedFile{}
	for _, raw := range read.Raw {
		files = append(files, &loader.BufferedFile{Name: raw.Name, Data: raw.Data})
	}
	return &renderer{files, schema, version}, nil
}

func (r *renderer) answer(asked request) answer {
	var warnings bytes.Buffer
	text, err := r.render(asked, &warnings)
	if err != nil {
		return answer{1, text, warnings.String() + "Error: " + err.Error() + "\n"}
	}
	return answer{0, text, warnings.String()}
}

// render does what Helm's cmd/helm/template.go does: what is rendered is printed, also beside an error.
func (r *renderer) render(asked request, warnings io.Writer) (string, error) {
	values, err := read(asked)
	if err != nil {
		return "", err
	}
	fresh, err := r.chart()
	if err != nil {
		return "", err
	}
	if err := r.validate(values); err != nil {
		return "", err
	}
	log.SetOutput(warnings)
	defer log.SetOutput(os.Stderr)
	client := action.NewInstall(&action.Configuration{})
	client.DryRunOption, client.DryRun, client.Replace, client.ClientOnly = "true", true, true, true
	client.ReleaseName, client.Namespace, client.SkipSchemaValidation = asked.Release, "default", true
	client.KubeVersion, client.APIVersions = r.kube, asked.APIVersions
	made, err := client.Run(fresh, values)
	if err != nil && made != nil {
		err = fmt.Errorf("%w\n\nUse --debug flag to render out invalid YAML", err)
	}
	if err != nil {
		return "", err
	}
	var printed strings.Builder
	fmt.Fprintln(&printed, strings.TrimSpace(made.Manifest))
	for _, hook := range made.Hooks {
		fmt.Fprintf(&printed, "---\n# Source: %s\n%s\n", hook.Path, hook.Manifest)
	}
	return printed.String(), nil
}

// read merges the files as Helm does; without any, the values are those of its standard input.
func read(asked request) (map[string]interface{}, error) {
	if len(asked.Files) > 0 {
		return (&values.Options{ValueFiles: asked.Files}).MergeValues(getter.Providers{})
	}
	found := map[string]interface{}{}
	if err := yaml.Unmarshal([]byte(asked.Values), &found); err != nil {
		return nil, fmt.Errorf("failed to parse -: %w", err)
	}
	return found, nil
}

// chart returns a chart of its own for each rendering, which changes it.
func (r *renderer) chart() (*chart.Chart, error) {
	files := make([]*loader.BufferedFile, len(r.files))
	for i, file := range r.files {
		files[i] = &loader.BufferedFile{Name: file.Name, Data: file.Data}
	}
	return loader.LoadFiles(files)
}

// validate says what Helm says, with the schema that is compiled already.
func (r *renderer) validate(values map[string]interface{}) error {
	log.SetOutput(io.Discard)
	defer log.SetOutput(os.Stderr)
	checked, err := r.chart()
	if err != nil {
		return err
	}
	copied := copied(values).(map[string]interface{})
	if err := chartutil.ProcessDependenciesWithMerge(checked, copied); err != nil {
		return err
	}
	merged, err := chartutil.CoalesceValues(checked, copied)
	if err != nil {
		return err
	}
	if err := r.schema.Validate(merged.AsMap()); err != nil {
		text := strings.TrimPrefix(err.Error(), "jsonschema validation failed with 'file:///values.schema.json#'\n")
		said := "values don't meet the specifications of the schema(s) in the following chart(s):\n%s:\n%s\n"
		return fmt.Errorf(said, checked.Name(), text)
	}
	return nil
}

// copied is what Helm may change in its place.
func copied(node interface{}) interface{} {
	switch node := node.(type) {
	case map[string]interface{}:
		made := make(map[string]interface{}, len(node))
		for key, child := range node {
			made[key] = copied(child)
		}
		return made
	case []interface{}:
		made := make([]interface{}, len(node))
		for place, child := range node {
			made[place] = copied(child)
		}
		return made
	}
	return node
}
