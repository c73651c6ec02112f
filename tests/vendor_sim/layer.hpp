// One direction of one layer of the simulated network, one step of one sequence at a time.
#pragma once

#include <array>
#include <cmath>

#include "network.hpp"

namespace sim {

template <class Real>
using Numbers = std::vector<Real>;

/// What a step leaves for its gradients.
template <class Real>
struct Record {
    int step = 0;
    Numbers<Real> x, h_before, c_before;
    std::array<Numbers<Real>, 4> gates;  ///< after their functions; for relu and tanh the sum
    Numbers<Real> recurrent_candidate;   ///< GRU: R h + b of the candidate
    Numbers<Real> c, squashed, unprojected, h;
};

/// The same shapes as LayerWeights, in the numbers of the device.
template <class Real>
struct Weights {
    std::array<Numbers<Real>, 4> input, recurrent, input_bias, recurrent_bias;
    Numbers<Real> projection;
};

template <class Real>
class Layer {
  public:
    Layer(
        const RnnCase& rnn_case,
        const LayerWeights& weights,
        const Arithmetic& arithmetic,
        Fault fault,
        std::uint64_t& random)
        : case_(rnn_case),
          arithmetic_(arithmetic),
          fault_(fault),
          storage_(storage_of(rnn_case.dtype)),
          random_(random) {
        columns_ = weights.columns;
        for (std::size_t gate = 0; gate < 4; ++gate) {
            weights_.input[gate] = prepared(as_numbers(weights.input[gate]));
            weights_.recurrent[gate] = prepared(as_numbers(weights.recurrent[gate]));
            weights_.input_bias[gate] = as_numbers(weights.input_bias[gate]);
            weights_.recurrent_bias[gate] = as_numbers(weights.recurrent_bias[gate]);
        }
        weights_.projection = prepared(as_numbers(weights.projection));
        gradients_ = zeros_like(weights_);
        spoil_weights();
    }

    int columns() const {
        return columns_;
    }

    /// From x and the state before, in `record`, to the rest of it.
    void forward(Record<Real>& record);

    /// dh and dc of this step in, those of the step before out; dx is added to.
    void backward(
        const Record<Real>& record, Numbers<Real>& dh, Numbers<Real>& dc, Numbers<Real>& dx);

    /// All steps of a sequence are back.
    void end_sequence();

    LayerWeights gradients() const;
    const Weights<Real>& sums() const {
        return gradients_;
    }  ///< of the gradients so far
    void set_sums(const Weights<Real>& sums) {
        gradients_ = sums;
    }
    void take_recurrent_from(const Layer& other) {
        weights_.recurrent = other.weights_.recurrent;
    }

  private:
    bool is(Fault fault) const {
        return fault_ == fault;
    }
    std::size_t hidden() const {
        return count(case_.hidden);
    }
    std::size_t output() const {
        return count(case_.output());
    }
    int gates() const {
        return case_.cell == Cell::lstm ? 4 : case_.cell == Cell::gru ? 3 : 1;
    }

    static Numbers<Real> as_numbers(const std::vector<double>& values) {
        return {values.begin(), values.end()};
    }
    Real operand(Real value) const;
    Numbers<Real> prepared(Numbers<Real> values) const;
    Real dot(const Real* a, const Real* b, std::size_t n) const;
    Real stored(Real value, bool really) const {
        return really ? held(value, storage_) : value;
    }
    Real wobbled(Real value);
    Real sigmoid(Real value);
    Real tanh(Real value) {
        return wobbled(std::tanh(value));
    }

    Weights<Real> zeros_like(const Weights<Real>& weights) const;
    void spoil_weights();
    Real input_sum(std::size_t gate, std::size_t unit, const Numbers<Real>& x) const;
    Real recurrent_sum(std::size_t gate, std::size_t unit, const Numbers<Real>& h) const;
    void lstm(Record<Real>& record, const std::array<Numbers<Real>, 4>& sums);
    void gru(
        Record<Real>& record,
        const std::array<Numbers<Real>, 4>& below,
        const std::array<Numbers<Real>, 4>& before);
    void plain(Record<Real>& record, const Numbers<Real>& sums);
    void project(Record<Real>& record);
    Real clipped(Real c) const;

    using Gates = std::array<Numbers<Real>, 4>;
    Numbers<Real> through_projection(const Record<Real>& record, const Numbers<Real>& dh);
    void lstm_back(
        const Record<Real>& record,
        const Numbers<Real>& dm,
        Numbers<Real>& dc,
        Gates& dgates) const;
    void gru_back(
        const Record<Real>& record,
        const Numbers<Real>& dh,
        Gates& dbelow,
        Gates& dbefore,
        Numbers<Real>& directly) const;
    void plain_back(const Record<Real>& record, const Numbers<Real>& dh, Gates& dgates) const;
    void matrices_back(
        const Gates& dgates,
        const Gates& matrices,
        const Numbers<Real>& values,
        Gates& gradients,
        Numbers<Real>& dvalues,
        bool of_state);
    void biases_back(const Gates& dgates, Gates& gradients, bool of_state) const;
    Real sigmoid_slope(Real s) const {
        return is(Fault::sigmoid_slope_wrong) ? s : s * (1 - s);
    }
    Real tanh_slope(Real t) const {
        return is(Fault::tanh_slope_wrong) ? 1 - t : 1 - t * t;
    }
    Real kept(Real gradient) const {
        if (is(Fault::gradients_in_bf16))
            gradient = held(gradient, Storage::bf16);
        return stored(gradient, arithmetic_.gradients_stored);
    }

    const RnnCase& case_;
    const Arithmetic& arithmetic_;
    Fault fault_;
    Storage storage_;
    std::uint64_t& random_;
    int columns_ = 0;
    Weights<Real> weights_, gradients_;
    std::array<Numbers<Real>, 4> old_sums_;  ///< for the fault that does not clear them
};

}  // namespace sim
